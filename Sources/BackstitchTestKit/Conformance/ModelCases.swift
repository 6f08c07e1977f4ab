extension StoreConformance {
    /// Features of models beyond plain attributes and relationships.
    ///
    /// Each family of cases has its own variant of the journal model. A store may lack some features, and their
    /// families are left out for it. It must then refuse their models when it is opened: to accept such a model and
    /// ignore the feature is worse than to lack it.
    static let modelCases =
        constraintCases + transientCases + orderCases + inheritanceCases + siblingCases
        + derivedCases + compositeCases + indexCases + naturalKeyCases
}
