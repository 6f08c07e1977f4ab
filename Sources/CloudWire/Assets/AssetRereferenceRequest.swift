/// Body of `assets/rereference`: asks for the values to put files of some records into other records, without sending
/// the bytes again.
package struct AssetRereferenceRequest: Sendable, Hashable {
    /// A file in a field of a record.
    package struct Source: Sendable, Hashable {
        /// The record that has the file.
        package var recordName: String
        /// The field of the file.
        package var fieldName: String
        /// Extension: the checksum of one file, if the field has a list of several.
        package var fileChecksum: String?

        /// Creates a source from the record and field of a file.
        package init(recordName: String, fieldName: String, fileChecksum: String? = nil) {
            self.recordName = recordName
            self.fieldName = fieldName
            self.fileChecksum = fileChecksum
        }
    }

    /// The zone of the records; nil means the default zone.
    package var zoneID: ZoneID?
    /// The files to refer to.
    package var assets: [Source]

    /// Files that could not be read, by their position in the request. ``assets`` lacks them.
    package var malformed: [Int: MalformedItem<String>] = [:]

    package init(zoneID: ZoneID? = nil, assets: [Source]) {
        self.zoneID = zoneID
        self.assets = assets
    }
}

extension AssetRereferenceRequest.Source: WireObject {
    static var blank: Self { Self(recordName: "", fieldName: "") }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.value("recordName", &recordName, else: "an asset to refer to needs a recordName")
        keys.value("fieldName", &fieldName, else: "an asset to refer to needs a fieldName")
        keys.optional("fileChecksum", &fileChecksum)
    }
}

extension AssetRereferenceRequest: WireObject {
    static var blank: Self { Self(assets: []) }

    mutating func code(_ keys: inout some KeyCoder) {
        keys.optional("zoneID", &zoneID)
        keys.items("assets", &assets, &malformed, named: [["recordName"]], else: "assets/rereference needs assets")
    }
}
