// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import NetworkCopy

let arguments = CurrentProcess.arguments
// Before any other thread exists: a process with several cannot make a user namespace.
if arguments.first?.text == CellProcess.name { CellProcess.run() }

let output = StandardOutput()
CurrentProcess.exit(await RehearseTool(output: output).run(arguments))
