export function softwareVulkan(found?: string[]): string | null;
export function vulkanEnv(options: { software: boolean }): Record<string, string>;
export function hasVulkanLoader(): boolean;
