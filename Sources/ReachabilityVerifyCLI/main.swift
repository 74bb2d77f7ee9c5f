import CommandLineSupport

let output = StandardOutput()
exitProcessAtOnce(VerifyTool(output: output).run(CommandLine.arguments))
