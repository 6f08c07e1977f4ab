extension StoreConformance {
    /// Cases about features of models beyond plain attributes and relationships.
    static let modelCases =
        constraintCases + transientCases + orderCases + inheritanceCases + siblingCases
        + derivedCases + compositeCases + indexCases
}
