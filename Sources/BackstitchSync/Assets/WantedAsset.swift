import Backstitch
import Foundation

/// An asset that is to be downloaded: noted in the store with the record that has it, so that a restart forgets none.
struct WantedAsset: Sendable, Codable, Hashable {
    let objectID: ObjectID
    /// The attribute.
    let key: String
    let recordName: String
    let reference: AssetReference
    /// Where to read it, for a short time after the record was read.
    var downloadURL: String?

    /// Where the note is kept.
    var metadataKey: String { "\(SyncMetadata.assetPrefix)\(objectID.key.uuidString)/\(key)" }

    /// The note as it is kept.
    var data: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return try encoder.encode(self)
        }
    }

    static func all(in journal: any JournalReading) throws -> [WantedAsset] {
        try journal.metadata(withPrefix: SyncMetadata.assetPrefix).map {
            try JSONDecoder().decode(WantedAsset.self, from: $0.value)
        }
    }
}
