import CloudWire
import Foundation

/// Converts a value that was sent without a type to the present type of its field.
enum FieldTypes {
    /// The value in the stored type, if the conversion is exact; otherwise the value in its guessed type.
    static func adapt(_ value: WireValue, to stored: WireValue) -> WireValue {
        switch (value, stored.type) {
        case (.int64(let number), .timestamp): .timestamp(number)
        case (.int64(let number), .double): Double(exactly: number).map { .double($0) } ?? value
        case (.double(let number), .int64): Int64(exactly: number).map { .int64($0) } ?? value
        case (.string(let text), .bytes): Data(base64Encoded: text).map { .bytes($0) } ?? value
        case (.int64List(let numbers), .timestampList): .timestampList(numbers)
        case (.int64List(let numbers), .doubleList): exactDoubles(numbers).map { .doubleList($0) } ?? value
        case (.stringList(let texts), .bytesList): allBytes(texts).map { .bytesList($0) } ?? value
        case (.unknownList, let type): emptyList(type) ?? value
        default: value
        }
    }

    /// The numbers as doubles; nil if one of them would lose digits.
    private static func exactDoubles(_ numbers: [Int64]) -> [Double]? {
        let exact = numbers.compactMap { Double(exactly: $0) }
        return exact.count == numbers.count ? exact : nil
    }

    /// The decoded texts; nil if one of them is not Base64.
    private static func allBytes(_ texts: [String]) -> [Data]? {
        let decoded = texts.compactMap { Data(base64Encoded: $0) }
        return decoded.count == texts.count ? decoded : nil
    }

    /// The empty list of a type; nil if the type is no list.
    private static func emptyList(_ type: WireValueType) -> WireValue? {
        switch type {
        case .stringList: .stringList([])
        case .int64List: .int64List([])
        case .doubleList: .doubleList([])
        case .timestampList: .timestampList([])
        case .bytesList: .bytesList([])
        case .referenceList: .referenceList([])
        case .assetList: .assetList([])
        case .locationList: .locationList([])
        default: nil
        }
    }
}
