/// One line or several of the text format, with the number behind them.
protocol PrometheusSeries: AnyObject, Sendable {
    /// - Parameter labels: As they are written, without braces.
    func write(_ name: String, _ labels: String, to text: inout String)
}
