/// A value of each row of a ``DictionaryFetchRequest``, with its name.
public struct FetchedProperty: Sendable, Hashable {
    /// The function that makes one value of the values of many objects.
    public enum Aggregate: String, Sendable, Hashable, CaseIterable {
        /// How many there are.
        case count
        /// How many different ones there are.
        case countDistinct
        /// Their sum, exact for integers and decimals.
        case sum
        /// The smallest.
        case min
        /// The largest.
        case max
        /// Their mean: a double for integers and doubles; for decimals a decimal, rounded to 20 digits after the point.
        case average
    }

    /// Its name in the rows.
    public let name: String
    /// The key path of an attribute or to-one relationship, through to-one relationships; nil to count objects.
    public let keyPath: String?
    /// The function that makes one value over many objects; nil for the value itself.
    public let aggregate: Aggregate?

    /// The value at the end of a key path, under that path or another name.
    public static func key(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        FetchedProperty(name: name ?? keyPath, keyPath: keyPath, aggregate: nil)
    }

    /// The number of objects.
    public static func count(as name: String = "count") -> FetchedProperty {
        FetchedProperty(name: name, keyPath: nil, aggregate: .count)
    }

    /// An aggregate over the values at the end of a key path, under a name such as `sum of amount` unless another is
    /// given.
    public static func aggregate(_ aggregate: Aggregate, _ keyPath: String, as name: String? = nil) -> FetchedProperty {
        FetchedProperty(name: name ?? "\(aggregate.rawValue) of \(keyPath)", keyPath: keyPath, aggregate: aggregate)
    }

    /// How many objects have a value.
    public static func count(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.count, keyPath, as: name)
    }

    /// The sum of the values.
    public static func sum(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.sum, keyPath, as: name)
    }

    /// The smallest value.
    public static func min(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.min, keyPath, as: name)
    }

    /// The largest value.
    public static func max(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.max, keyPath, as: name)
    }

    /// The mean of the values.
    public static func average(_ keyPath: String, as name: String? = nil) -> FetchedProperty {
        aggregate(.average, keyPath, as: name)
    }
}
