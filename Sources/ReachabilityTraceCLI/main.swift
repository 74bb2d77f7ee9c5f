// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import POSIX
import PacketTrace

// Before anything reads what the caller chose: the arguments are on the stack, next to the environment.
let arguments = CurrentProcess.arguments
ProcessConfinement.forgetCaller(limit: TraceInvocation.longestLife)
// The files belong to root, whose rights are gone afterwards.
let legacyTables = LegacyTables()
let privilege = Result { () throws(Errno) in try ProcessConfinement.keepOnlyNetworkAdministration() }
let tool = TraceTool(output: StandardOutput(), privilege: privilege, legacyTables: legacyTables)
CurrentProcess.exit(tool.run(arguments))
