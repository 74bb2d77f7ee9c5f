import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exit(CommandLineTool(output: output).run(CurrentProcess.arguments))
