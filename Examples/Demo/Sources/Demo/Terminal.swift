import Foundation

/// The standard output: a terminal or a pipe.
enum Terminal {
    /// Whether the output is a terminal, so that lines may be redrawn.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// Writes the text at once, also into a pipe.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    /// Writes the text and a newline.
    static func line(_ text: String) { write(text + "\n") }
}
