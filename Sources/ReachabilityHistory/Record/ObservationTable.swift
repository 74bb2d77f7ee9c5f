/// Each different value once, since the lines of a record repeat a few of them.
struct ObservationTable {
  private var values: [Observation] = []
  private var indexes: [Observation: Int32] = [:]

  subscript(_ index: Int32) -> Observation { values[Int(index)] }

  mutating func index(of value: Observation) -> Int32 {
    if let index = indexes[value] { return index }
    let index = Int32(values.count)
    values.append(value)
    indexes[value] = index
    return index
  }
}
