import CommandLineSupport

let output = StandardOutput()
CurrentProcess.exit(ReportTool(output: output).run(CurrentProcess.arguments))
