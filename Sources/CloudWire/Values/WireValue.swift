public import Foundation

/// The value of a field. There is no boolean on this wire: use `int64` 0 and 1.
///
/// The three large payloads are boxed, so that a dictionary of fields stays small.
public enum WireValue: Sendable {
    /// Text.
    case string(String)
    /// A whole number; the whole range of `Int64` is exact.
    case int64(Int64)
    /// A number that is finite; reads back as the same bits.
    case double(Double)
    /// Milliseconds since 1970-01-01 00:00 UTC.
    case timestamp(Int64)
    /// Bytes, as base64 on the wire.
    case bytes(Data)
    /// A link to another record.
    indirect case reference(WireReference)
    /// A file beside the record.
    indirect case asset(WireAsset)
    /// A place on earth.
    indirect case location(WireLocation)
    /// A list of texts.
    case stringList([String])
    /// A list of whole numbers.
    case int64List([Int64])
    /// A list of finite numbers.
    case doubleList([Double])
    /// A list of milliseconds since 1970-01-01 00:00 UTC.
    case timestampList([Int64])
    /// A list of byte strings.
    case bytesList([Data])
    /// A list of links.
    case referenceList([WireReference])
    /// A list of files.
    case assetList([WireAsset])
    /// A list of places.
    case locationList([WireLocation])
    /// An empty list whose element type nobody knows.
    case unknownList

    /// The type tag of this value; an empty list keeps its own.
    public var type: WireValueType {
        switch self {
        case .string: .string
        case .int64: .int64
        case .double: .double
        case .timestamp: .timestamp
        case .bytes: .bytes
        case .reference: .reference
        case .asset: .asset
        case .location: .location
        case .stringList: .stringList
        case .int64List: .int64List
        case .doubleList: .doubleList
        case .timestampList: .timestampList
        case .bytesList: .bytesList
        case .referenceList: .referenceList
        case .assetList: .assetList
        case .locationList: .locationList
        case .unknownList: .unknownList
        }
    }

    /// The assets in this value: none, one, or those of a list.
    public var assets: [WireAsset] {
        switch self {
        case .asset(let asset): [asset]
        case .assetList(let assets): assets
        default: []
        }
    }

    /// The references in this value: none, one, or those of a list.
    public var references: [WireReference] {
        switch self {
        case .reference(let reference): [reference]
        case .referenceList(let references): references
        default: []
        }
    }
}
