/// One or more lines of the text format, with the number behind them.
protocol PrometheusSeries: AnyObject, Sendable {
    /// Adds the lines of the series to a text.
    ///
    /// - Parameter labels: The labels in their written form, without braces.
    func write(_ name: String, _ labels: String, to text: inout String)
}
