extension StoreConformance {
    /// Fetches of other results than plain objects, and requests for many objects at once.
    ///
    /// They use neither the coordinator's cache nor the contexts. Only the store is between request and rows, so a
    /// mistake that objects would hide shows here.
    static let fetchingCases =
        batchInsertCases + batchUpdateCases + batchDeleteCases + batchUpsertCases + dictionaryCases + streamingCases
        + prefetchCases
}
