// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exitImmediately(VerifyTool(output: output).run(CurrentProcess.arguments))
