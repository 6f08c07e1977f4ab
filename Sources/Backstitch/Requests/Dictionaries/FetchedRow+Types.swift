public import Foundation

/// The values of a row in Swift types: nil if a value is null or of another type. An unknown name is reported in the
/// log, as by ``FetchedRow/subscript(_:)``.
extension FetchedRow {
    /// Returns the truth value of this name.
    public func bool(_ name: String) -> Bool? { self[name].bool }
    /// Returns the integer of this name.
    public func int(_ name: String) -> Int? { self[name].int }
    /// Returns the double of this name.
    public func double(_ name: String) -> Double? { self[name].double }
    /// Returns the decimal of this name.
    public func decimal(_ name: String) -> Decimal? { self[name].decimal }
    /// Returns the text of this name.
    public func string(_ name: String) -> String? { self[name].string }
    /// Returns the date of this name.
    public func date(_ name: String) -> Date? { self[name].date }
    /// Returns the bytes of this name.
    public func data(_ name: String) -> Data? { self[name].data }
    /// Returns the UUID of this name.
    public func uuid(_ name: String) -> UUID? { self[name].uuid }
    /// Returns the URI of this name.
    public func uri(_ name: String) -> URL? { self[name].uri }
    /// Returns the identity of this name, from a to-one relationship.
    public func object(_ name: String) -> ObjectID? { self[name].object }
}
