import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exitImmediately(VerifyTool(output: output).run(CurrentProcess.arguments))
