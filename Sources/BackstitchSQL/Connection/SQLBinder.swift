package import Backstitch

/// Takes the parameters for one run of a statement. Positions are counted from one.
package protocol SQLBinder: AnyObject {
    /// Binds an integer to a position.
    func bind(_ value: Int64, at position: Int)
    /// Binds a text or null to a position.
    func bind(_ value: String?, at position: Int)
    /// Binds bytes or null to a position.
    func bind(_ value: [UInt8]?, at position: Int)
    /// Binds an object's key to a position.
    func bind(_ value: ObjectKey, at position: Int)
}
