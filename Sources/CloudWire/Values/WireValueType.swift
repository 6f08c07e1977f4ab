import BackstitchSupport

/// The type tag of a field value.
public enum WireValueType: String, Sendable, Hashable, CaseIterable {
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
    /// An empty list whose element type nobody knows.
    case unknownList = "UNKNOWN_LIST"

    /// The type that a tag of the wire names; also knows `ASSET`, `ASSET_LIST` and the `ENCRYPTED_` forms.
    public init?(tag: String) {
        let prefix = Self.encryptedPrefix
        let plain = tag.begins(with: prefix) ? String(tag.dropping(prefix)) : tag
        // From here on the text is ASCII.
        guard plain.isASCII else { return nil }
        switch plain {
        case "ASSET": self = .asset
        case "ASSET_LIST": self = .assetList
        default:
            guard let type = Self(rawValue: plain) else { return nil }
            self = type
        }
    }

    /// Begins the tags of values that are encrypted.
    static let encryptedPrefix = "ENCRYPTED_"

    /// The type of the elements of a list; nil for no list and for a list of unknown elements.
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

    /// Quick look-up of the tags that are written most; falls back to ``init(tag:)``.
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
