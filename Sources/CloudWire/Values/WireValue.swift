package import Foundation

/// The value of a field. There is no boolean on this wire: use `int64` 0 and 1.
///
/// The three large kinds of values are boxed, so that a dictionary of fields stays small.
package enum WireValue: Sendable {
    /// A text of any length.
    case string(String)
    /// An integer. The whole range of `Int64` is exact.
    case int64(Int64)
    /// A finite number. It keeps its bits through writing and reading.
    case double(Double)
    /// A time, in milliseconds since 1970-01-01 00:00 UTC.
    case timestamp(Int64)
    /// Bytes, in base64 on the wire.
    case bytes(Data)
    /// A link to another record.
    indirect case reference(WireReference)
    /// A file outside the record.
    indirect case asset(WireAsset)
    /// A place on earth.
    indirect case location(WireLocation)
    /// A list of texts, in order.
    case stringList([String])
    /// A list of integers, in order.
    case int64List([Int64])
    /// A list of finite numbers, in order.
    case doubleList([Double])
    /// A list of times, in milliseconds since 1970-01-01 00:00 UTC.
    case timestampList([Int64])
    /// A list of byte strings, in order.
    case bytesList([Data])
    /// A list of links to records.
    case referenceList([WireReference])
    /// A list of files outside the record.
    case assetList([WireAsset])
    /// A list of places on earth.
    case locationList([WireLocation])
    /// An empty list with an unknown element type.
    case unknownList

    /// The type tag of this value. An empty list of a known type keeps its tag.
    package var type: WireValueType {
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

    /// The assets in this value: none, one, or all of a list.
    package var assets: [WireAsset] {
        switch self {
        case .asset(let asset): [asset]
        case .assetList(let assets): assets
        default: []
        }
    }

    /// The references in this value: none, one, or all of a list.
    package var references: [WireReference] {
        switch self {
        case .reference(let reference): [reference]
        case .referenceList(let references): references
        default: []
        }
    }
}
