// The package's entry for Node is not loadable there; its module is, everywhere.
declare module "wgsl_reflect/wgsl_reflect.module.js" {
  export * from "wgsl_reflect";
}
