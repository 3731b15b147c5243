/** @file The door to the icons of all parts of the page. */
export { Icon, type IconName } from "./Icon";
