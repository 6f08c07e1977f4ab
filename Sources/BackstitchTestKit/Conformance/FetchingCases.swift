extension StoreConformance {
    /// What contexts fetch beside plain objects, and what they do to many objects at once.
    static let fetchingCases =
        batchInsertCases + batchUpdateCases + batchDeleteCases + batchUpsertCases + dictionaryCases + streamingCases
        + prefetchCases
}
