import Backstitch
import BackstitchSupport
import CloudWire
import Foundation

/// The content of an envelope: a value with its type, so that it decodes to the same value, or the description of an
/// asset.
enum SealedContent {
    case value(WireValue)
    case asset(SealedAsset)

    private enum Kind: UInt8 {
        case int64 = 1, double, timestamp, string, bytes, asset
    }

    /// A byte for the kind, then the value. Numbers have eight bytes, little-endian.
    ///
    /// - Throws: ``RecordFault`` for a value that no attribute has.
    var bytes: Data {
        get throws(RecordFault) {
            switch self {
            case .value(.int64(let number)): Self.data(.int64, Data(number.littleEndianBytes))
            case .value(.double(let number)):
                Self.data(.double, Data(Int64(bitPattern: number.bitPattern).littleEndianBytes))
            case .value(.timestamp(let number)): Self.data(.timestamp, Data(number.littleEndianBytes))
            case .value(.string(let text)): Self.data(.string, Data(text.utf8))
            case .value(.bytes(let data)): Self.data(.bytes, data)
            case .asset(let asset): Self.data(.asset, asset.key.bytes + Data(asset.reference.text.utf8))
            case .value(let value): throw RecordFault("\(value.type.rawValue) cannot be encrypted")
            }
        }
    }

    /// Reads the result of ``bytes``; nil for other bytes.
    init?(_ bytes: Data) {
        guard let kind = bytes.first.flatMap(Kind.init) else { return nil }
        let rest = Data(bytes.dropFirst())
        switch kind {
        case .int64, .double, .timestamp:
            guard let number = Int64(storedForm: rest) else { return nil }
            self =
                switch kind {
                case .double: .value(.double(Double(bitPattern: UInt64(bitPattern: number))))
                case .timestamp: .value(.timestamp(number))
                default: .value(.int64(number))
                }
        case .string:
            guard let text = String(validating: rest, as: UTF8.self) else { return nil }
            self = .value(.string(text))
        case .bytes: self = .value(.bytes(rest))
        case .asset:
            guard let key = AssetContentKey(bytes: rest.prefix(AssetContentKey.size)),
                let text = String(validating: rest.dropFirst(AssetContentKey.size), as: UTF8.self),
                let reference = AssetReference(text: text), reference.size >= 0
            else { return nil }
            self = .asset(SealedAsset(reference: reference, key: key))
        }
    }

    private static func data(_ kind: Kind, _ rest: Data) -> Data { Data([kind.rawValue]) + rest }
}
