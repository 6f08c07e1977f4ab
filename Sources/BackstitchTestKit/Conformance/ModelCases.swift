extension StoreConformance {
    /// Features of models beyond plain attributes and relationships.
    ///
    /// Each family has a part of the journal of its own. Those that a store may lack are left out for it, and it has to
    /// refuse their models when it is opened: taking one, and then passing over the feature, is worse than lacking it.
    static let modelCases =
        constraintCases + transientCases + orderCases + inheritanceCases + siblingCases
        + derivedCases + compositeCases + indexCases + naturalKeyCases
}
