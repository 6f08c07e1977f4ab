import Logging

// Errors of property accesses, which cannot throw.
extension ManagedObjectContext {
    /// Runs `body`. If it throws, the error is kept for the next fetch, count or save, and `fallback` is returned.
    ///
    /// - Parameter reader: The object whose property was read; nil for a change. A read error fails no save of other
    ///   objects.
    func reporting<Result>(
        _ fallback: @autoclosure () -> Result, reading reader: ManagedObject? = nil,
        at place: (file: String, line: Int)? = nil, _ body: () throws -> Result
    ) -> Result {
        do { return try body() } catch {
            keep(error, reading: reader, at: place)
            return fallback()
        }
    }

    /// Prepares a request. It checks that the context is open, throws a kept error, and merges changes made elsewhere.
    func prepareRequest(isSave: Bool = false) throws {
        try requireOpen()
        try throwDeferredError(isSave: isSave)
        followParent()
    }

    /// Keeps an error for the next fetch, count or save.
    ///
    /// - Parameter place: The line of the program that caused the error, if it is known.
    func keep(_ error: any Error, reading reader: ManagedObject? = nil, at place: (file: String, line: Int)? = nil) {
        guard !isClosed else { return tellLateUse(error, at: place) }
        let located =
            (error as? BackstitchError).flatMap { error in
                place.map { error.located(at: $0, verb: reader == nil ? "set" : "read") }
            } ?? error
        if deferredError == nil { deferredError = DeferredError(error: located, reader: reader) }
    }

    /// Logs the kept error when no request can throw it any more.
    func tellUnseenError() {
        guard let deferredError else { return }
        logger.warning(
            "a property was used wrongly, and no later fetch or save could throw the error; the property is unchanged",
            metadata: ["error": "\(deferredError.error)"])
        self.deferredError = nil
    }

    /// Drops the kept error without throwing it.
    func dropDeferredError() { deferredError = nil }

    /// Throws the kept error. A save does not throw an error of a read if the object that was read is not part of it.
    func throwDeferredError(isSave: Bool = false) throws {
        guard let deferred = deferredError else { return }
        if isSave, let reader = deferred.reader, !reader.hasChanges { return }
        deferredError = nil
        throw deferred.error
    }
}

extension ManagedObjectContext {
    /// The log of contexts without a log of their own.
    static let usualLogger = Logger(label: "backstitch")
}

extension BackstitchError {
    /// Returns the same error with the line of the program that caused it.
    fileprivate func located(at place: (file: String, line: Int), verb: String) -> BackstitchError {
        BackstitchError(
            code, "\(message) (\(verb) at \(place.file):\(place.line))", objectID: objectID, key: key, cause: cause,
            faults: faults,
            mergeConflict: mergeConflict, constraintConflict: constraintConflict, file: place.file, line: place.line)
    }
}
