import Foundation

/// The standard output.
enum Terminal {
    /// Writes at once, also into a pipe.
    static func write(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
