/** @file How the planner plans: everything here is part of the document and of its link. */
import { Dialog } from "../Dialog";
import { PassList } from "./PassList";
import { Planning } from "./Planning";
import { ProfileFields } from "./ProfileFields";
import "./options.css";

export function OptionsDialog() {
  return (
    <Dialog title="Planning options" size="widest">
      <p className="dialog-note">The plan changes at once. Undo takes a choice back; a link carries them all.</p>
      <div className="options">
        <div>
          <Planning />
          <ProfileFields />
        </div>
        <PassList />
      </div>
    </Dialog>
  );
}
