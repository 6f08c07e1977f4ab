/// How often what goes wrong on the network: counts of 1,000 requests.
struct NetworkFaultRates {
    var dropRequest = 0
    var dropAnswer = 0
    var duplicate = 0
    var slow = 0
    var refuse = 0
    var garble = 0

    /// Nothing goes wrong.
    static let calm = NetworkFaultRates()
    /// Now and then something goes wrong.
    static let rough = NetworkFaultRates(
        dropRequest: 40, dropAnswer: 60, duplicate: 40, slow: 40, refuse: 30, garble: 20)
    /// Hardly anything gets through.
    static let storm = NetworkFaultRates(
        dropRequest: 200, dropAnswer: 250, duplicate: 100, slow: 100, refuse: 100, garble: 60)
}
