extension StoreConformance {
    /// Fetches of other results than plain objects, and requests for many objects at once.
    ///
    /// They pass the coordinator's cache and the contexts by: nothing but the store stands between request and rows,
    /// and a mistake that objects would hide shows here.
    static let fetchingCases =
        batchInsertCases + batchUpdateCases + batchDeleteCases + batchUpsertCases + dictionaryCases + streamingCases
        + prefetchCases
}
