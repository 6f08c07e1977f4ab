import BackstitchSupport

/// The type tag of a field value.
package enum WireValueType: String, Sendable, Hashable, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case reference = "REFERENCE"
    case asset = "ASSETID"
    case location = "LOCATION"
    case stringList = "STRING_LIST"
    case int64List = "INT64_LIST"
    case doubleList = "DOUBLE_LIST"
    case timestampList = "TIMESTAMP_LIST"
    case bytesList = "BYTES_LIST"
    case referenceList = "REFERENCE_LIST"
    case assetList = "ASSETID_LIST"
    case locationList = "LOCATION_LIST"
    /// An empty list with an unknown element type.
    case unknownList = "UNKNOWN_LIST"

    /// Creates the type from a tag of the wire. It also accepts `ASSET`, `ASSET_LIST` and the `ENCRYPTED_` forms.
    package init?(tag: String) {
        let prefix = Self.encryptedPrefix
        let plain = tag.begins(with: prefix) ? String(tag.dropping(prefix)) : tag
        // The text is ASCII after this check.
        guard plain.isASCII else { return nil }
        switch plain {
        case "ASSET": self = .asset
        case "ASSET_LIST": self = .assetList
        default:
            guard let type = Self(rawValue: plain) else { return nil }
            self = type
        }
    }

    /// The prefix of the tags for encrypted values.
    static let encryptedPrefix = "ENCRYPTED_"

    /// The type of a list's elements; nil for other types, and for a list of unknown elements.
    var element: WireValueType? {
        switch self {
        case .stringList: .string
        case .int64List: .int64
        case .doubleList: .double
        case .timestampList: .timestamp
        case .bytesList: .bytes
        case .referenceList: .reference
        case .assetList: .asset
        case .locationList: .location
        default: nil
        }
    }

    /// A quick look-up of the most frequent tags. Any other tag is left to ``init(tag:)``.
    init?(tag bytes: UnsafeBufferPointer<UInt8>) {
        switch JSONKey(bytes: bytes) {
        case "STRING": self = .string
        case "INT64": self = .int64
        case "TIMESTAMP": self = .timestamp
        case "DOUBLE": self = .double
        case "REFERENCE": self = .reference
        case "BYTES": self = .bytes
        default: self.init(tag: String(decoding: bytes, as: UTF8.self))
        }
    }
}
