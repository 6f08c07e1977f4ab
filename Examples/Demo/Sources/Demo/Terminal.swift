import Foundation

/// The standard output: a terminal or a pipe.
enum Terminal {
    /// Whether a person looks at it, so that lines may be drawn over.
    static let isInteractive = isatty(STDOUT_FILENO) == 1

    /// Writes at once, also into a pipe.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }

    /// Writes a line.
    static func line(_ text: String) { write(text + "\n") }
}
