/// The layer below a context: the coordinator, or a parent context.
protocol RowSource: RowReading {
    /// Takes over the changes of a context's save.
    func save(_ plan: SavePlan, from context: ManagedObjectContext) throws
}
