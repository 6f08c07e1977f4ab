package import Backstitch
package import Foundation

/// The bytes outside the rows, as a migration reads and writes them.
///
/// Written bytes are on the disk when ``write(_:)`` returns, or they are a part of the migration's transaction. So a
/// committed row never names missing bytes. The caller keeps them from being collected until the commit.
package protocol MigrationContent {
    /// Reads the bytes of a reference; nil if they are not here.
    func read(_ reference: AssetReference) throws -> Data?
    /// Stores bytes under their references.
    func write(_ contents: AssetContents) throws
}

extension AssetDirectory: MigrationContent {}

extension MigrationContent {
    /// Returns the form of an attribute's value in a row. Bytes for a place outside the row are stored there.
    func stored(_ value: Value, for attribute: AttributeDescription) throws -> Value {
        guard attribute.allowsExternalStorage else { return value }
        switch value {
        case .data(let data):
            let reference = AssetReference(contentOf: data)
            try write([reference: .data(data)])
            return .asset(reference)
        case .file(let file):
            try write([file.reference: .file(file)])
            return .asset(file.reference)
        default: return value
        }
    }
}
