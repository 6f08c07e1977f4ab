extension PersistentContainer {
    /// Runs `work` as ``perform(author:file:line:_:)`` does. After a conflict it runs `work` again, with a new context.
    /// A conflict is a save that throws ``BackstitchError/Code/saveConflict``, because the same objects were changed
    /// elsewhere meanwhile.
    ///
    /// ```swift
    /// try await container.perform(retrying: 5) { context in
    ///     let account = try context.existingObject(with: id) as? Account
    ///     account?.balance += 10
    ///     try context.save()
    /// }
    /// ```
    /// `work` may run several times, so it must change nothing but objects of its context. It saves by itself, and lets
    /// the error of the save through.
    ///
    /// Other errors are thrown at once. So is a conflict if `work` has already written to the store by an earlier save,
    /// a batch request, or a save into the first of several stores. A second run would write the same changes twice.
    ///
    /// - Parameters:
    ///   - retries: The number of times `work` is run again, at most.
    ///   - author: The author of the changes, for history.
    ///   - file: The caller's file, for the log of objects used after the end of `work`.
    ///   - line: The line in `file`.
    /// - Throws: The last conflict when no retry is left; else as ``perform(author:file:line:_:)``.
    public func perform<Result: Sendable>(
        retrying retries: Int, author: String? = nil, file: String = #fileID, line: Int = #line,
        _ work: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) async throws -> Result {
        var left = retries
        while true {
            do {
                return try await perform(author: author, file: file, line: line) { context in
                    do { return try work(context) } catch let error as BackstitchError
                        where error.code == .saveConflict && !context.hasWritten
                    {
                        throw RepeatableConflict(error: error)
                    }
                }
            } catch let conflict as RepeatableConflict {
                guard left > 0 else { throw conflict.error }
                left -= 1
            }
        }
    }
}

/// A conflict of work that has written nothing, so the work can run again.
private struct RepeatableConflict: Error {
    let error: BackstitchError
}
