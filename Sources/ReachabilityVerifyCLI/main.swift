import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exitImmediately(VerifyTool(output: output).run(CommandLine.arguments))
