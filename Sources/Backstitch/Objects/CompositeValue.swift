/// A Swift type for a composite attribute.
///
/// ```swift
/// struct Address: CompositeValue {
///     var street: String?
///     var city: String?
///     init(compositeValues values: [String: Value]) { … }
///     var compositeValues: [String: Value] { ["street": …, "city": …] }
/// }
/// ```
public protocol CompositeValue {
    /// Creates the value from these parts, by their names (`city`; `place.latitude` for a part of a part).
    init(compositeValues: [String: Value])
    /// The parts by their names. Parts that are left out become nil.
    var compositeValues: [String: Value] { get }
}
