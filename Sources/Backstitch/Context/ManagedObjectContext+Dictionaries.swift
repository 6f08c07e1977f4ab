extension ManagedObjectContext {
    /// Fetches the rows of values that a request asks for.
    ///
    /// Unsaved changes do not count unless the request says so.
    ///
    /// - Throws: ``BackstitchError/Code/invalidRequest`` and ``BackstitchError/Code/invalidPredicate`` when the request
    ///   does not fit the model; ``BackstitchError/Code/invalidValue`` when a sum is beyond the range of its type;
    ///   errors of the store.
    /// - Complexity: One statement; O(objects) in the store, O(rows) here.
    public func fetch(_ request: DictionaryFetchRequest) throws -> [FetchedRow] {
        try prepareRequest()
        let resolved = try request.resolved(in: self)
        let rows =
            request.includesPendingChanges && hasChanges(of: resolved.fetch.entity)
            ? DictionaryRows(try resolved.results(from: objects(for: resolved.fetch)))
            : try reading().fetchDictionaries(resolved)
        let table = FetchedTable(resolved, rows)
        return (0..<rows.count).map { FetchedRow(table, $0) }
    }

    /// Whether this context or one of its parents has unsaved objects of an entity.
    private func hasChanges(of entity: ResolvedEntity) -> Bool {
        unsaved.contains { $0.entity.isKind(of: entity) } || parent?.hasChanges(of: entity) == true
    }
}
