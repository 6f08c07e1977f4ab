import Foundation

/// The standard output of the process.
enum Terminal {
    /// Writes a text at once, also into a pipe.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
