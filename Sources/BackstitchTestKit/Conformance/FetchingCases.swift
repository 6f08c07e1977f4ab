extension StoreConformance {
    /// Cases about fetches of other results than plain objects, and about requests for many objects at once.
    static let fetchingCases =
        batchInsertCases + batchUpdateCases + batchDeleteCases + batchUpsertCases + dictionaryCases + streamingCases
        + prefetchCases
}
