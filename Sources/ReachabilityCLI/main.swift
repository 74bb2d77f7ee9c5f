import CommandLineSupport

let output = StandardOutput()
exitProcess(CommandLineTool(output: output).run(CommandLine.arguments))
