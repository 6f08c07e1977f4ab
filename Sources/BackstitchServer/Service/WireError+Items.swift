import CloudWire

// An operation with many items answers each on its own. A failure of the storage is no answer to an item: it must end
// the whole request.
extension WireError {
    /// Runs a call of the storage within work whose errors belong to single items.
    ///
    /// - Throws: A failure of the storage as INTERNAL_ERROR, so that ``ofItem()`` throws it.
    static func storage<Value>(_ call: () throws -> Value) throws(WireError) -> Value {
        do {
            return try call()
        } catch let error as WireError {
            throw error
        } catch {
            throw WireError(.internalError, String(describing: error))
        }
    }

    /// The error of an item for the answer.
    ///
    /// - Throws: The error itself if it is a failure of the storage.
    func ofItem() throws -> WireError {
        if code == .internalError { throw self }
        return self
    }
}
