// The functions of lodash that the layout uses, as a module: lodash.js defines one global object.
import "/static/lodash.js";

export const {
  clone, cloneDeep, constant, defaults, each, filter, find, flatten, forEach, forIn, forOwn, has,
  isArray, isEmpty, isFunction, isUndefined, keys, last, map, mapValues, max, merge, min, minBy, now,
  pick, range, reduce, size, sortBy, transform, union, uniqueId, values, zipObject,
} = globalThis._;
