// Settings of other agents that Helve does not support. Those that would only add convenience or rights are ignored
// silently. Those that would restrict something are reported, so that no one relies on them.

export const passedOver: ReadonlySet<string> = new Set([
  ...['$schema', 'advisorModel', 'agent', 'alwaysThinkingEnabled', 'attribution', 'autoCompactEnabled'],
  ...['autoMemoryEnabled', 'autoMode', 'autoUpdates', 'autoUpdatesChannel', 'awsAuthRefresh', 'awsCredentialExport'],
  ...['channelsEnabled', 'companyAnnouncements', 'disableAutoMode', 'enableAllProjectMcpServers'],
  ...['enabledMcpjsonServers', 'fastMode', 'feedbackSurveyState'],
  ...['fileSuggestion', 'forceLoginMethod', 'forceLoginOrgUUID', 'gcpAuthRefresh', 'gitAttribution'],
  ...['includeGitInstructions', 'language', 'messageIdleNotifThresholdMs', 'minimumVersion', 'otelHeadersHelper'],
  ...['plansDirectory', 'prefersReducedMotion', 'preferredNotifChannel', 'promptSuggestionEnabled', 'respectGitignore'],
  ...['showTurnDuration', 'skipDangerousModePermissionPrompt', 'spinnerTipsEnabled', 'spinnerTipsOverride'],
  ...['spinnerVerbs', 'syntaxHighlightingDisabled', 'teammateMode', 'terminalProgressBarEnabled', 'todoFeatureEnabled'],
  ...['useAutoModeDuringPlan', 'verbose', 'viewMode', 'voiceEnabled', 'permissions.disableAutoMode'],
  ...['worktree.baseRef', 'worktree.symlinkDirectories', 'worktree.sparsePaths', 'worktree.bgIsolation'],
  'sandbox.network.strictAllowlist', // nothing but what is allowed can be reached anyway
]);

/** Settings that would relax or configure the sandbox and have no effect here; they are reported for that reason. */
export const withoutEffect: ReadonlySet<string> = new Set([
  ...['sandbox.ignoreViolations', 'sandbox.enableWeakerNestedSandbox', 'sandbox.allowNestedUserNamespaces'],
  ...['sandbox.enableWeakerNetworkIsolation', 'sandbox.allowAppleEvents', 'sandbox.ripgrep', 'sandbox.bwrapPath'],
  ...['sandbox.socatPath', 'sandbox.network.allowUnixSockets', 'sandbox.network.allowAllUnixSockets'],
  ...['sandbox.network.allowLocalBinding', 'sandbox.network.allowMachLookup', 'sandbox.network.httpProxyPort'],
  ...['sandbox.network.socksProxyPort', 'sandbox.network.tlsTerminate', 'sandbox.filesystem.disabled'],
]);

/** Settings that would restrict something and have no effect here, with the equivalent to write instead. */
export const notEnforced: Readonly<Record<string, string>> = {
  'permissions.denyInsteadOfPrompting': 'Write "defaultMode": "dontAsk" instead.',
  'permissions.blockReadsOutsideWorkingDirectories': 'Deny what must not be read, as in "Read(//etc/**)".',
  'permissions.blockWritesOutsideWorkingDirectories': 'Deny what must not be written, as in "Edit(//etc/**)".',
  permissionPrompts: 'Write "defaultMode": "dontAsk" under "permissions" instead.',
  allowedHttpHookUrls: 'Remove the hooks that must not run.',
  httpHookAllowedEnvVars: 'Remove the hooks that must not run.',
  allowedMcpServers: 'Set "allowManagedMcpServersOnly", or deny their tools by rules.',
  deniedMcpServers: 'Deny their tools by rules, as in "mcp__NAME".',
  availableModels: 'Set the model by "model".',
  strictPluginOnlyCustomization: 'Set "allowManagedHooksOnly" and "allowManagedMcpServersOnly" instead.',
  'sandbox.credentials': 'Name the files in "sandbox.filesystem.denyRead".',
  'sandbox.network.allowManagedDomainsOnly': 'Name the other hosts in "sandbox.network.deniedDomains".',
  'sandbox.filesystem.allowManagedReadPathsOnly': 'Name what must not be read in "sandbox.filesystem.denyRead".',
};
