/** @file Beside the pointer while a line is drawn: why the port under it does not take the value. */
import { useConnection } from "@xyflow/react";
import { useCanvas } from "./canvas-store";
import { targetKey } from "./targets";

export function ConnectHint() {
  const { toHandle, pointer } = useConnection((c) => ({
    toHandle: c.inProgress ? c.toHandle : null,
    pointer: c.inProgress ? c.pointer : null,
  }));
  const target = useCanvas((s) => {
    const operand = /^in(\d+)$/.exec(toHandle?.id ?? "")?.[1];
    return operand === undefined
      ? null
      : (s.connecting?.targets.get(targetKey(toHandle!.nodeId, Number(operand))) ?? null);
  });
  if (!toHandle || !pointer) return null;
  const text = target === null ? "This operand can't be fed from here." : target.ok ? null : target.reason;
  return text === null ? null : (
    <p className="connect-hint" role="status" style={{ left: pointer.x + 14, top: pointer.y + 14 }}>
      {text}
    </p>
  );
}
