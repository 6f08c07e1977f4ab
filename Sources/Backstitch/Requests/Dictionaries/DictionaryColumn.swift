/// A value in each row of a ``DictionaryFetchRequest``, with its name.
public struct DictionaryColumn: Sendable, Hashable {
    /// A function from the values of many objects to one value.
    public enum Aggregate: String, Sendable, Hashable, CaseIterable {
        /// The number of values.
        case count
        /// The number of different values.
        case countDistinct
        /// The sum of the values, exact for integers and decimals.
        case sum
        /// The smallest of the values.
        case min
        /// The largest of the values.
        case max
        /// The mean of the values: a double for integers and doubles; for decimals a decimal, rounded to 20 digits
        /// after the point.
        case average
    }

    /// The name of the value in the rows.
    public let name: String
    /// The key path of an attribute or to-one relationship, through to-one relationships; nil to count objects.
    public let keyPath: String?
    /// The function over many objects; nil for the value itself.
    public let aggregate: Aggregate?

    /// The value at the end of a key path, named by that path or by another name.
    public static func key(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        DictionaryColumn(name: name ?? keyPath, keyPath: keyPath, aggregate: nil)
    }

    /// The number of objects, under a name.
    public static func count(as name: String = "count") -> DictionaryColumn {
        DictionaryColumn(name: name, keyPath: nil, aggregate: .count)
    }

    /// An aggregate over the values at the end of a key path. The default name is for example `sum of amount`.
    public static func aggregate(_ aggregate: Aggregate, _ keyPath: String, as name: String? = nil) -> DictionaryColumn
    {
        DictionaryColumn(name: name ?? "\(aggregate.rawValue) of \(keyPath)", keyPath: keyPath, aggregate: aggregate)
    }

    /// The number of objects with a value.
    public static func count(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        aggregate(.count, keyPath, as: name)
    }

    /// The sum of the values at a key path.
    public static func sum(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        aggregate(.sum, keyPath, as: name)
    }

    /// The smallest value at a key path.
    public static func min(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        aggregate(.min, keyPath, as: name)
    }

    /// The largest value at a key path.
    public static func max(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        aggregate(.max, keyPath, as: name)
    }

    /// The mean of the values at a key path.
    public static func average(_ keyPath: String, as name: String? = nil) -> DictionaryColumn {
        aggregate(.average, keyPath, as: name)
    }
}
