@_exported import RequirementSupport
