// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exit(CommandLineTool(output: output).run(CurrentProcess.arguments))
