import BackstitchSupport
import CloudWire
import Foundation

/// The value of one field that every record of a subscription's query has, as an entry of an index.
///
/// A query has one if a filter takes a single value: an EQUALS, or an IN of one value. Values are equal by
/// ``QueryKey``, as for the filter. Different values may have one mark, so records that are found by it
/// are still compared.
struct SubscriptionMark: Hashable, Sendable {
    /// The name of the field.
    let field: String
    /// A digest of the record type, the field and the value, in hexadecimal digits.
    let text: String

    init(type: String, _ field: QueryField, _ value: WireValue) {
        self.init(type: type, field, key: QueryKey.bytes(value, limit: nil))
    }

    private init(type: String, _ field: QueryField, key: [UInt8]) {
        self.field = field.name
        var data = Data()
        for name in [type, field.name] {
            data.append(contentsOf: UInt32(truncatingIfNeeded: name.utf8.count).bigEndianBytes)
            data.append(contentsOf: name.utf8)
        }
        data.append(contentsOf: key)
        text = SHA256.hash(data: data).prefix(Self.length).hexadecimal
    }

    private static let length = 16

    /// The mark of a subscription; nil if its query takes several values in each field, or is none.
    ///
    /// Of several filters the one with the longest value is taken, because few records have it.
    init?(_ subscription: WireSubscription) {
        guard subscription.subscriptionType == .query, let query = subscription.query else { return nil }
        var longest: (field: QueryField, key: [UInt8])?
        for filter in query.filterBy {
            do {
                let condition = try QueryCondition(filter)
                guard let key = condition.onlyKey, key.count > longest?.key.count ?? 0 else { continue }
                longest = (condition.field, key)
            } catch {
                // The comparison with records says what is wrong with the query.
                return nil
            }
        }
        guard let longest else { return nil }
        self.init(type: query.recordType, longest.field, key: longest.key)
    }
}

extension QueryCondition {
    /// The one value that passes the test, as bytes of ``QueryKey``; nil if others pass too.
    fileprivate var onlyKey: [UInt8]? {
        if isNegated { return nil }
        return switch test {
        case .equals(let value): QueryKey.bytes(value, limit: nil)
        case .isIn(let values) where values.count == 1: QueryKey.bytes(values[0], limit: nil)
        default: nil
        }
    }
}
