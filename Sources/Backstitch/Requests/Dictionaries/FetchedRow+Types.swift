public import Foundation

/// The values of a row in Swift types: nil where one is null or of another type. A name that the row does not have is
/// told in the log, as by ``FetchedRow/subscript(_:)``.
extension FetchedRow {
    /// The truth value of that name.
    public func bool(_ name: String) -> Bool? { self[name].bool }
    /// The integer of that name.
    public func int(_ name: String) -> Int? { self[name].int }
    /// The double of that name.
    public func double(_ name: String) -> Double? { self[name].double }
    /// The decimal of that name.
    public func decimal(_ name: String) -> Decimal? { self[name].decimal }
    /// The text of that name.
    public func string(_ name: String) -> String? { self[name].string }
    /// The date of that name.
    public func date(_ name: String) -> Date? { self[name].date }
    /// The bytes of that name.
    public func data(_ name: String) -> Data? { self[name].data }
    /// The UUID of that name.
    public func uuid(_ name: String) -> UUID? { self[name].uuid }
    /// The URI of that name.
    public func uri(_ name: String) -> URL? { self[name].uri }
    /// The identity of that name: of a to-one relationship.
    public func object(_ name: String) -> ObjectID? { self[name].object }
}
