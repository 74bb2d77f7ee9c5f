import CommandLineSupport

let output = StandardOutput()
exitProcess(VerifyTool(output: output).run(CommandLine.arguments))
