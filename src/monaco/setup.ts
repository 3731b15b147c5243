/** @file Loads Monaco once: its one worker through the worker policy, the languages we show, and the theme. */
import * as monaco from "monaco-editor/editor";
import "monaco-editor/features/register.all";
import "monaco-editor/languages/definitions/wgsl/register";
import workerUrl from "monaco-editor/editor/editor.worker.js?worker&url";
import { startWorker } from "../workers";
import "./monaco.css";
import { registerFusionLanguage } from "./language";
import { followTheme } from "./theme";

self.MonacoEnvironment = {
  getWorker: () => startWorker(workerUrl, "monaco"),
};
registerFusionLanguage(monaco);
followTheme(monaco);

export { monaco };
