/// The layer below a context: the coordinator, or a parent context.
protocol RowSource: RowReading {
    /// Takes over what a context saves.
    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws
}
