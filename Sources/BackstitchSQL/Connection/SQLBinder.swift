package import Backstitch

/// Takes the parameters of one run of a statement. Positions are counted from one.
package protocol SQLBinder: AnyObject {
    /// Gives an integer.
    func bind(_ value: Int64, at position: Int)
    /// Gives a text, or null.
    func bind(_ value: String?, at position: Int)
    /// Gives bytes, or null.
    func bind(_ value: [UInt8]?, at position: Int)
    /// Gives a key.
    func bind(_ value: ObjectKey, at position: Int)
}
